#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partita/number.h"
#include "tests/unit/experiment/support.h"

#define S PT_NS_PER_S

Test(preemption, is_the_policys_own_and_free_unless_written)
{
    struct pt_config *config = load(HEAD JOB, NULL);
    cr_expect_eq(config->preemption.mode, config->policy->preemption);
    cr_expect_eq(config->preemption.victims, PT_VICTIMS_LEAST_DISRUPTION);
    cr_expect_eq(config->preemption.save_base_ns, 0);
    cr_expect_eq(config->preemption.save_per_gib_ns, 0);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(config->preemption.redo_ns[i], 0);
    cr_expect_eq(config->restore.base_ns, 0);
    cr_expect_eq(config->restore.per_gib_ns, 0);
    cr_expect_eq(config->checkpoint_ns, 0);
    cr_expect_not(config->preemption_given);
    pt_config_free(config);
}

Test(preemption, modes_and_victims_have_words)
{
    static const char *const modes[] = {"none", "suspend", "checkpoint", "kill"};
    static const char *const victims[] = {"least_disruption", "youngest", "lowest_priority"};
    char text[200];
    for (unsigned i = 0; i < 4; i++) {
        snprintf(text, sizeof text, HEAD JOB "preemption: %s\n", modes[i]);
        struct pt_config *config = load(text, NULL);
        cr_expect_eq((unsigned)config->preemption.mode, i, "%s", modes[i]);
        cr_expect(config->preemption_given);
        pt_config_free(config);
    }
    for (unsigned i = 0; i < 3; i++) {
        snprintf(text, sizeof text, HEAD JOB "preemption: {victims: %s}\n", victims[i]);
        struct pt_config *config = load(text, NULL);
        cr_expect_eq((unsigned)config->preemption.victims, i, "%s", victims[i]);
        pt_config_free(config);
    }
}

Test(preemption, costs_what_is_written_else_what_the_preset_measured)
{
    struct pt_config *config =
        load(HEAD JOB "preemption: {preset: cuda_checkpoint, checkpoint: inf}\n", NULL);
    cr_expect_eq(config->preemption.save_base_ns, 2 * S);
    cr_expect_eq(config->preemption.save_per_gib_ns, S / 5);
    cr_expect_eq(config->restore.base_ns, 3800000000);
    cr_expect_eq(config->restore.per_gib_ns, 250000000);
    cr_expect_eq(config->checkpoint_ns, PT_NEVER);
    pt_config_free(config);
    config = load(HEAD JOB "preemption: {preset: cuda_checkpoint, restore: {base: 1s}, "
                           "save: {per_gib: 0}, redo: {one_gpu: 1, one_node: 2s, more: 1min}}\n",
                  NULL);
    cr_expect_eq(config->preemption.save_base_ns, 2 * S);
    cr_expect_eq(config->preemption.save_per_gib_ns, 0);
    cr_expect_eq(config->restore.base_ns, S);
    cr_expect_eq(config->restore.per_gib_ns, 250000000);
    cr_expect_eq(config->preemption.redo_ns[0], S);
    cr_expect_eq(config->preemption.redo_ns[1], 2 * S);
    cr_expect_eq(config->preemption.redo_ns[2], 60 * S);
    pt_config_free(config);
    config = load(HEAD JOB "preemption: {save: 4s, restore: 5s}\n", NULL); /* short for base */
    cr_expect_eq(config->preemption.save_base_ns, 4 * S);
    cr_expect_eq(config->restore.base_ns, 5 * S);
    pt_config_free(config);
}

Test(preemption, inside_the_policy_wins_key_by_key)
{
    struct pt_config *config =
        load(HEAD JOB "preemption: {mode: kill, checkpoint: 1min, save: {base: 1, per_gib: 2}, "
                      "victims: youngest, redo: {more: 7}}\n"
                      "policy: {name: fifo, preemption: {mode: suspend, save: {base: 3}, redo: "
                      "{one_gpu: 5}, preset: cuda_checkpoint}}\n",
             NULL);
    cr_expect_eq(config->preemption.mode, PT_PREEMPTION_SUSPEND);
    cr_expect_eq(config->checkpoint_ns, 60 * S);
    cr_expect_eq(config->preemption.save_base_ns, 3 * S);
    cr_expect_eq(config->preemption.save_per_gib_ns, 2 * S);
    cr_expect_eq(config->restore.base_ns, 3800000000);
    cr_expect_eq(config->preemption.victims, PT_VICTIMS_YOUNGEST);
    cr_expect_eq(config->preemption.redo_ns[0], 5 * S);
    cr_expect_eq(config->preemption.redo_ns[1], 0);
    cr_expect_eq(config->preemption.redo_ns[2], 7 * S);
    pt_config_free(config);
}

Test(preemption, stays_the_same_through_the_effective_configuration)
{
    static const char *const worlds[] = {
        HEAD JOB, HEAD JOB "preemption: suspend\n",
        HEAD JOB "policy: {name: fifo, preemption: {victims: youngest, checkpoint: 3}}\n",
        HEAD JOB "preemption: {preset: cuda_checkpoint}\npolicy: {preemption: kill}\n"};
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        struct pt_config *first = load(worlds[i], NULL);
        struct pt_config *second = load(first->effective_yaml, NULL);
        cr_expect_str_eq(first->effective_yaml, second->effective_yaml);
        cr_expect_arr_eq(&first->preemption, &second->preemption, sizeof first->preemption);
        cr_expect_arr_eq(&first->restore, &second->restore, sizeof first->restore);
        cr_expect_eq(first->checkpoint_ns, second->checkpoint_ns);
        pt_config_free(first);
        pt_config_free(second);
    }
}

Test(preemption, warns_where_the_policy_stops_nobody)
{
    static const struct {
        const char *keys;
        bool warned;
    } cases[] = {{"preemption: suspend\n", true},
                 {"policy: {name: fifo, preemption: kill}\n", true},
                 {"preemption: none\n", false},
                 {"preemption: {restore: 3s}\n", false},
                 {"preemption: suspend\npolicy: priority\n", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        struct pt_config *config = NULL;
        struct pt_messages messages;
        pt_messages_init(&messages);
        snprintf(text, sizeof text, HEAD JOB "%s", cases[i].keys);
        cr_assert_eq(
            pt_config_load_text(&config, "test.yaml", text, strlen(text), NULL, NULL, 0, &messages),
            PT_OK);
        char *said = printed(&messages, false);
        cr_expect_eq(strstr(said, "warning: preemption.mode has no effect under policy 'fifo', "
                                  "which stops nobody") != NULL,
                     cases[i].warned, "%s%s", cases[i].keys, said);
        free(said);
        pt_config_free(config);
        pt_messages_fini(&messages);
    }
}

Test(preemption, can_be_set)
{
    const char *sets[] = {"preemption.mode=kill", "policy.preemption.save.base=2s",
                          "policy.preemption.victims=youngest", NULL};
    struct pt_config *config = load(HEAD JOB "preemption: suspend\n", sets);
    cr_expect_eq(config->preemption.mode, PT_PREEMPTION_KILL);
    cr_expect_eq(config->preemption.save_base_ns, 2 * S);
    cr_expect_eq(config->preemption.victims, PT_VICTIMS_YOUNGEST);
    pt_config_free(config);
}

Test(preemption, refuses_what_it_does_not_know)
{
    assert_refused(HEAD JOB "preemption: {mode: suspnd, victims: oldest, sav: 1}\n", NULL,
                   "test.yaml:4:20: mode: 'suspnd' is unknown (did you mean 'suspend'?)\n"
                   "test.yaml:4:37: victims: 'oldest' is unknown (known: least_disruption, "
                   "youngest, lowest_priority)\n"
                   "test.yaml:4:45: unknown key 'sav' (did you mean 'save'?)\n");
    assert_refused(HEAD JOB "policy: {preemption: {restore: {per_gb: 1}, redo: {two: 1}}}\n", NULL,
                   "test.yaml:4:33: unknown key 'per_gb' (did you mean 'per_gib'?)\n"
                   "test.yaml:4:52: unknown key 'two' of redo\n");
    assert_refused(HEAD JOB, "preemption.mode=stop",
                   "--set preemption.mode=stop: mode: 'stop' is unknown (known: none, suspend, "
                   "checkpoint, kill)\n");
}
