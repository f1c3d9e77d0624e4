#include "sim/experiment/config.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/experiment/support.h"

/* Every key that there is, with values other than the defaults. */
static const char everything[] =
    "partita: 1\n"
    "name: three-tier-hosting\n"
    "seed: 42\n"
    "cluster:\n"
    "  pools:\n"
    "    - name: slice\n"
    "      nodes: 4\n"
    "      gpus_per_node: 8\n"
    "      gpu: h100-sxm5-80gb\n"
    "      cpus_per_node: 127.5\n"
    "      memory_per_node: 1024GiB\n"
    "      sharing: {mode: time_slice, replicas: 4, switch_loss: 0, memory: admit, distinct: "
    "false}\n"
    "    - {name: whole, nodes: 1, gpus_per_node: 8, gpu: a100-sxm4-80gb, sharing: exclusive, "
    "price_per_gpu_hour: 2.5}\n"
    "nodes:\n"
    "  - {name: slice-1, down: [[100, 200], [1h, inf]], boot: 1min}\n"
    "  - {name: spare, pool: slice}\n"
    "trace:\n"
    "  reference_gpu: a100-sxm4-80gb\n"
    "  limit: 2\n"
    "  jobs:\n"
    "    - {id: '1', submit_s: 0, work_s: 1e2, gpus: 2, tenant: acme, sla: gold, priority: batch}\n"
    "    - {id: b, submit_s: 5, work_s: 10, gpu_type: h100|a100, pool: slice, after: '1', x_own: "
    "7}\n"
    "    - {id: c, submit_s: 5, work_s: 10}\n"
    "policy: {name: fifo, blocking: skip, placement: {name: pack}}\n"
    "interference: {model: fitted, mix: light, laws: {mps: pnorm}, guard: off, residual: 0.1}\n"
    "profiles: [{name: mine, u: 0.8, kappa: 1.5, p: 4, mem_gib: 1, gpu: a100, law: pnorm}]\n"
    "cold_start: {inference: 60s}\n"
    "preemption: {mode: checkpoint, preset: cuda_checkpoint, checkpoint: 10min, restore: {base: "
    "1s}, victims: youngest}\n"
    "topology: {spare: r0, whole-0: r1}\n"
    "faults: {gpu_mtbf: 1000h, events: [{at: 5, node: whole-0}]}\n"
    "electricity_price: 0.2\n"
    "tenants:\n"
    "  - {name: acme, weight: 2, priority: production, sla: gold, quota: {gpus: 2}, limit: 3.5}\n"
    "  - {name: default, parent: acme, weight: 0.5, priority: -3}\n"
    "sla:\n"
    "  default: {max_slowdown: 2.0}\n"
    "  tiers: {gold: {max_slowdown: 1.2, max_wait: 5min}, flexible: {}}\n"
    "priorities: {production: 1000, batch: {value: 100, preempts: never}}\n"
    "retries: {fault: 3, oom: 2, backoff: 1s}\n"
    "queue: {give_up: 2h}\n"
    "horizon: 50\n"
    "metrics: {interval: 30s, warmup: 1s}\n"
    "output: {file: out.h5, jobs: false, events: true, series: false}\n";

Test(config, reads_every_key)
{
    struct pt_config *config = load(everything, NULL);
    cr_assert_str_eq(config->name, "three-tier-hosting");
    cr_assert_eq(config->seed, 42);
    cr_assert_str_eq(config->policy->name, "fifo");
    cr_assert_str_eq(config->placement->name, "pack");
    cr_assert_eq(config->policy_params[0].integer, 1);
    cr_assert_eq(config->retries.fault, 3);
    cr_assert_eq(config->retries.oom, 2);
    cr_assert_eq(config->retries.backoff_ns, PT_NS_PER_S);
    cr_assert_eq(config->give_up_ns, 7200 * PT_NS_PER_S);
    cr_assert_eq(config->horizon_ns, 50 * PT_NS_PER_S);
    cr_assert_eq(config->interval_ns, 30 * PT_NS_PER_S);
    cr_assert_eq(config->warmup_ns, PT_NS_PER_S);
    cr_assert(config->interference.given);
    cr_assert_str_eq(config->interference.ops->name, "fitted");
    cr_assert_neq(pt_profiles_find(&config->profiles, "mine"), PT_NONE);
    cr_assert_eq(config->cold_start_ns[PT_KIND_INFERENCE], 60 * PT_NS_PER_S);
    cr_assert_eq(config->checkpoint_ns, 600 * PT_NS_PER_S);
    cr_assert_eq(config->restore.base_ns, PT_NS_PER_S);
    cr_assert_eq(config->preemption.mode, PT_PREEMPTION_CHECKPOINT);
    cr_assert_eq(config->preemption.victims, PT_VICTIMS_YOUNGEST);
    cr_assert_eq(config->cluster.rack_count, 2);
    cr_assert_eq(config->faults.event_count, 1);
    cr_assert_float_eq(config->electricity_price, 0.2, 0);
    cr_assert_str_eq(config->output.file, "out.h5");
    cr_assert_not(config->output.jobs);
    cr_assert(config->output.events);
    cr_assert_not(config->output.series);
    pt_config_free(config);
}

Test(config, has_defaults_for_what_is_left_out)
{
    struct pt_config *config = load(HEAD JOB, NULL);
    cr_assert_str_eq(config->name, "experiment");
    cr_assert_eq(config->seed, 0);
    cr_assert_str_eq(config->policy->name, "fifo");
    cr_assert_eq(config->policy_params[0].integer, 0);
    cr_assert_str_eq(config->placement->name, "first_fit");
    cr_assert_eq(config->retries.fault, PT_NONE);
    cr_assert_eq(config->retries.oom, 0);
    cr_assert_eq(config->retries.backoff_ns, 10 * PT_NS_PER_S);
    cr_assert_eq(config->give_up_ns, PT_NEVER);
    cr_assert_eq(config->horizon_ns, PT_NEVER);
    cr_assert_eq(config->interval_ns, 60 * PT_NS_PER_S);
    cr_assert_eq(config->warmup_ns, 0);
    cr_assert_not(config->interference.given);
    cr_assert_null(config->output.file);
    cr_assert(config->output.jobs);
    cr_assert_not(config->output.events);
    cr_assert(config->output.series);
    cr_assert_eq(config->tier_count, 0);
    cr_assert_eq(config->default_tier, PT_NONE);
    cr_assert_eq(config->tenant_count, 1);
    cr_assert_str_eq(config->tenants[0].name, "default");
    pt_config_free(config);
}

/* Loading what a config says of itself gives the same again. */
static void assert_stable(const char *text)
{
    struct pt_config *config = load(text, NULL);
    struct pt_config *again = load(config->effective_yaml, NULL);
    cr_assert_str_eq(again->effective_yaml, config->effective_yaml);
    cr_assert_eq(again->cluster.gpu_count, config->cluster.gpu_count);
    cr_assert_eq(again->seed, config->seed);
    cr_assert_eq(again->trace.limit, config->trace.limit);
    pt_config_free(again);
    pt_config_free(config);
}

Test(config, loads_from_its_effective_configuration)
{
    assert_stable(everything);
    assert_stable(HEAD JOB);
    assert_stable(HEAD "trace: {jobs: []}\nname: 'true'\npolicy: fifo\ninterference: none\n");
    assert_stable(HEAD "trace: {jobs: []}\nname: ''\nsla: {tiers: {'1': {}, 'a b': {}}}\n");
    assert_stable(HEAD "trace: {source: native, path: traces/x.csv}\n");
    assert_stable(HEAD "trace: {jobs: [{id: yes, submit_s: 0.5, work_s: 1, user: 'a: b', name: "
                       "\"\\u00e4 # x\", gpu_frac: , tenant: ~}]}\n");
}

Test(config, writes_every_key_but_the_output_file)
{
    struct pt_config *config = load(HEAD JOB "output: {file: x.h5}\n", NULL);
    cr_assert_str_eq(config->effective_yaml, "partita: 1\n"
                                             "name: experiment\n"
                                             "seed: 0\n"
                                             "cluster:\n"
                                             "  pools:\n"
                                             "  - name: main\n"
                                             "    nodes: 1\n"
                                             "    gpus_per_node: 4\n"
                                             "    gpu: h100-sxm5-80gb\n"
                                             "    cpus_per_node: inf\n"
                                             "    memory_per_node: inf\n"
                                             "    sharing:\n"
                                             "      mode: exclusive\n"
                                             "nodes: []\n"
                                             "topology: {}\n"
                                             "trace:\n"
                                             "  jobs:\n"
                                             "  - {id: a, submit_s: 0, work_s: 1}\n"
                                             "  limit: inf\n"
                                             "  reference_gpu: h100-sxm5-80gb\n"
                                             "policy:\n"
                                             "  name: fifo\n"
                                             "  placement:\n"
                                             "    name: first_fit\n"
                                             "    pools: file\n"
                                             "  blocking: strict\n"
                                             "  defragment:\n"
                                             "    moves: 4\n"
                                             "    cooldown: 10min\n"
                                             "interference:\n"
                                             "  model: fitted\n"
                                             "  laws:\n"
                                             "    mps: rank1\n"
                                             "    mig: pnorm\n"
                                             "    time_slice: turns\n"
                                             "  mix: heavy\n"
                                             "  residual:\n"
                                             "    sd: 0\n"
                                             "  guard: on\n"
                                             "  u_from: util\n"
                                             "  g: 0.45\n"
                                             "  u_floor: 0.3\n"
                                             "  power_slope: 0.201\n"
                                             "  fidelity: fluid\n"
                                             "profiles: []\n"
                                             "tenants: []\n"
                                             "sla:\n"
                                             "  default:\n"
                                             "    max_slowdown: inf\n"
                                             "    max_jct_increase: inf\n"
                                             "    max_sharing_increase: inf\n"
                                             "    max_wait: inf\n"
                                             "    max_jct: inf\n"
                                             "  tiers: {}\n"
                                             "priorities: {}\n"
                                             "retries:\n"
                                             "  fault: inf\n"
                                             "  oom: 0\n"
                                             "  backoff: 10s\n"
                                             "queue:\n"
                                             "  give_up: inf\n"
                                             "cold_start: {}\n"
                                             "preemption:\n"
                                             "  checkpoint: 0s\n"
                                             "  save: {}\n"
                                             "  restore: {}\n"
                                             "  victims: least_disruption\n"
                                             "  preset: none\n"
                                             "  redo: {}\n"
                                             "faults:\n"
                                             "  gpu_mtbf: 0s\n"
                                             "  events: []\n"
                                             "horizon: inf\n"
                                             "metrics:\n"
                                             "  interval: 60s\n"
                                             "  warmup: 0s\n"
                                             "output:\n"
                                             "  jobs: true\n"
                                             "  events: false\n"
                                             "  series: true\n");
    pt_config_free(config);
}

Test(config, takes_types_from_the_schema_and_not_from_quotes)
{
    struct pt_config *config = load("partita: '1'\ncluster: {gpus: \"4\"}\nseed: '1e3'\nname: 7\n"
                                    "output: {events: 'true'}\n" JOB,
                                    NULL);
    cr_assert_eq(config->seed, 1000);
    cr_assert_str_eq(config->name, "7");
    cr_assert(config->output.events);
    pt_config_free(config);
    assert_refused(HEAD JOB "output: {events: yes}\n", NULL,
                   "test.yaml:4:18: events: 'yes' is neither true nor false\n");
    assert_refused(HEAD JOB "seed: 0o17\n", NULL, "test.yaml:4:7: seed: '0o17' is not a number\n");
    assert_refused(
        HEAD JOB "horizon: 1:30\n", NULL,
        "test.yaml:4:10: horizon: '1:30' has no unit of time behind its number (ns, us, ms, s, "
        "min, h, d)\n");
}

Test(config, takes_one_document_alone)
{
    assert_refused(HEAD JOB "---\na: 1\n", NULL,
                   "test.yaml:5:1: a second document: an experiment is one (several are for "
                   "`partita test`)\n");
}

Test(config, resolves_paths_against_the_file_that_names_them)
{
    struct pt_config *config = NULL;
    struct pt_messages messages;
    const char *text = HEAD "trace: {source: native, path: t/x.csv}\noutput: {file: o.h5}\n";
    static const struct {
        const char *file, *origin, *trace, *output;
    } cases[] = {{"e.yaml", NULL, "t/x.csv", "o.h5"},
                 {"exp/e.yaml", NULL, "exp/t/x.csv", "exp/o.h5"},
                 {"/e.yaml", NULL, "//t/x.csv", "//o.h5"},
                 {"exp/e.yaml", "/data", "/data/t/x.csv", "/data/o.h5"},
                 {"exp/e.yaml", "", "t/x.csv", "o.h5"}};
    pt_messages_init(&messages);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(pt_config_load_text(&config, cases[i].file, text, strlen(text),
                                         cases[i].origin, NULL, 0, &messages),
                     PT_OK);
        cr_assert_str_eq(config->trace.path, cases[i].trace);
        cr_assert_str_eq(config->trace.path_as_written, "t/x.csv");
        cr_assert_str_eq(config->output.file, cases[i].output);
        pt_config_free(config);
    }
    text = HEAD "trace: {source: native, path: /abs/x.csv}\n";
    cr_assert_eq(
        pt_config_load_text(&config, "exp/e.yaml", text, strlen(text), NULL, NULL, 0, &messages),
        PT_OK);
    cr_assert_str_eq(config->trace.path, "/abs/x.csv");
    pt_config_free(config);
    pt_messages_fini(&messages);
}

/* A file of GPUs in the working directory. */
static void write_gpus(const char *text)
{
    FILE *file = fopen("config-gpus.yaml", "w");
    cr_assert_not_null(file);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
}

Test(config, adds_the_gpus_of_a_catalogue_and_keeps_it_among_its_files)
{
    const char *const sets[] = {"catalog=config-gpus.yaml", "trace.reference_gpu=mine", NULL};
    write_gpus("gpus: [{name: mine, like: a30, family: own}]\n");
    struct pt_config *config = load("partita: 1\ncluster: {pools: [{name: a, nodes: 1, "
                                    "gpus_per_node: 1, gpu: mine}]}\n" JOB,
                                    sets);
    cr_assert_str_eq(config->cluster.pools[0].gpu->name, "mine");
    cr_assert_eq(config->cluster.reference_gpu, config->cluster.pools[0].gpu);
    cr_assert(pt_catalog_knows(config->catalog, "own", 3));
    cr_assert_eq(config->file_count, 1);
    cr_assert_str_eq(config->files[0].path, "config-gpus.yaml");
    cr_assert_str_eq(config->files[0].path_as_written, "config-gpus.yaml");
    cr_assert_not_null(strstr(config->effective_yaml, "\ncatalog: config-gpus.yaml\n"));
    pt_config_free(config);
    write_gpus("gpus: [{name: mine, like: a30, sms: 0}]\n");
    char *said = refusal(HEAD JOB "catalog: config-gpus.yaml\n", NULL);
    cr_assert_eq(strncmp(said, "config-gpus.yaml:1:37: ", 23), 0, "%s", said);
    free(said);
    unlink("config-gpus.yaml");
    assert_refused(HEAD JOB "catalog: config-gpus.yaml\n", NULL,
                   "test.yaml:4:10: catalog: 'config-gpus.yaml' can't be opened: No such file or "
                   "directory\n");
    assert_refused(HEAD JOB "catalog: [a, b]\n", NULL,
                   "test.yaml:4:10: 'catalog' must be a text, not a list\n");
}

Test(config, loads_a_file)
{
    struct pt_config *config = NULL;
    struct pt_messages messages;
    char path[] = "/tmp/partita-config-XXXXXX";
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, everything, strlen(everything)), (ssize_t)strlen(everything));
    close(file);
    pt_messages_init(&messages);
    cr_assert_eq(pt_config_load(&config, path, NULL, NULL, 0, &messages), PT_OK);
    cr_assert_str_eq(config->output.file, "/tmp/out.h5");
    pt_config_free(config);
    unlink(path);
    cr_assert_eq(pt_config_load(&config, path, NULL, NULL, 0, &messages), PT_ERR_INPUT);
    cr_assert_null(config);
    pt_messages_fini(&messages);
    pt_config_free(NULL);
}

Test(config, loads_documents_of_a_scenario_file)
{
    const char *text =
        HEAD JOB "expect: {jobs: {a: {end_s: 1, node: null}}, exit: 0}\n---\n" HEAD JOB
                 "sed: 3\nexpect: {exit: 2}\n---\n" HEAD JOB "expect: {jobs: {a: {edn_s: 1}}}\n";
    struct pt_yaml yaml;
    struct pt_messages messages;
    struct pt_config *config = NULL;
    pt_yaml_init(&yaml);
    pt_messages_init(&messages);
    cr_assert_eq(pt_yaml_parse(&yaml, "s.yaml", text, strlen(text), &messages), PT_OK);
    const struct pt_yaml_node *document = yaml.first_document;
    cr_assert_eq(pt_config_load_document(&config, &yaml, document, true, "d", NULL, 0, &messages),
                 PT_OK);
    cr_assert_null(strstr(config->effective_yaml, "expect"));
    pt_config_free(config);
    cr_assert_eq(pt_config_load_document(&config, &yaml, document, false, "d", NULL, 0, &messages),
                 PT_ERR_INPUT);
    document = document->next;
    cr_assert_eq(pt_config_load_document(&config, &yaml, document, true, "d", NULL, 0, &messages),
                 PT_ERR_INPUT);
    document = document->next;
    cr_assert_eq(pt_config_load_document(&config, &yaml, document, true, "d", NULL, 0, &messages),
                 PT_ERR_INPUT);
    char *said = printed(&messages, false);
    cr_assert_str_eq(said, "s.yaml:4:1: unknown key 'expect' of experiment\n"
                           "  expect: {jobs: {a: {end_s: 1, node: null}}, exit: 0}\n  ^\n"
                           "s.yaml:9:1: unknown key 'sed' (did you mean 'seed'?)\n  sed: 3\n  ^\n"
                           "s.yaml:15:21: unknown key 'edn_s' (did you mean 'end_s'?)\n"
                           "  expect: {jobs: {a: {edn_s: 1}}}\n                      ^\n");
    free(said);
    pt_messages_fini(&messages);
    pt_yaml_fini(&yaml);
}

/* The experiments that come with the program load, and load again from what they say. */
Test(config, loads_every_experiment_that_comes_along)
{
    const char *source = getenv("PARTITA_SOURCE");
    char folder[1024];
    if (!source) cr_skip("PARTITA_SOURCE is not set");
    snprintf(folder, sizeof folder, "%s/configs", source);
    DIR *directory = opendir(folder);
    cr_assert_not_null(directory, "%s", folder);
    unsigned count = 0;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        struct pt_config *config = NULL;
        struct pt_messages messages;
        char path[2048];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        pt_messages_init(&messages);
        cr_assert_eq(pt_config_load(&config, path, NULL, NULL, 0, &messages), PT_OK, "%s: %s", path,
                     messages.list[0].error.message);
        assert_stable(config->effective_yaml);
        pt_config_free(config);
        count++;
    }
    closedir(directory);
    cr_assert_gt(count, 0);
}
