#include <criterion/criterion.h>
#include <stdio.h>

#include "policies/queues/resource_quota.h"
#include "tests/support/rig.h"

#define S PT_NS_PER_S

static struct pt_rank rank_of_word[4];
static struct pt_tenant_facts tenants[2];
static const uint32_t tenant_of_word[2] = {0, 1};

static pt_job add(struct rig *rig, double submit_s, int64_t work_s, uint32_t gpus, int priority,
                  const char *tenant)
{
    char text[16];
    pt_job job = rig_add_job(rig, (int64_t)(submit_s * 1e9), work_s * S, gpus);
    snprintf(text, sizeof text, "%d", priority);
    rig_set_cell(rig, job, PT_COL_PRIORITY, text);
    rig_set_cell(rig, job, PT_COL_TENANT, tenant);
    rank_of_word[pt_trace_u32(&rig->trace, PT_COL_PRIORITY, job)] =
        (struct pt_rank){priority, true, true};
    return job;
}

/* The first tenant that a job names has this quota, the second none. */
static void world(struct rig *rig, const char *params, uint32_t nodes, uint32_t gpus,
                  uint64_t quota)
{
    rig_init(rig);
    rig->world.check = true;
    for (int t = 0; t < 2; t++)
        tenants[t] = (struct pt_tenant_facts){.name = "tenant",
                                              .parent = PT_NONE,
                                              .weight = 1,
                                              .quota = t == 0 ? quota : PT_QUOTA_NONE,
                                              .limit = PT_QUOTA_NONE,
                                              .borrowing_limit = PT_QUOTA_NONE,
                                              .lending_limit = PT_QUOTA_NONE};
    rig->world.tenants = tenants;
    rig->world.tenant_count = 2;
    rig->world.tenant_of_word = tenant_of_word;
    rig->world.rank_of_word = rank_of_word;
    rig_add_pool(rig, &rig_h100, nodes, gpus, "exclusive", "");
    rig_set_policy(rig, "k8s", params, "first_fit");
}

static void starts_at(const struct rig *rig, pt_job job, double seconds)
{
    cr_assert_eq(rig->results[job].state, PT_STATE_DONE, "job %u", job);
    cr_assert_float_eq(pt_seconds(rig->results[job].start_ns), seconds, 1e-9, "job %u: %.9g", job,
                       pt_seconds(rig->results[job].start_ns));
}

Test(k8s, tries_double_up_to_their_cap)
{
    static const int64_t job_s[] = {0, 1, 3, 7, 15, 31, 63, 123, 183, 243};
    for (int i = 1; i < 10; i++) {
        cr_assert_eq(pt__resource_quota_retry_ns(5 * S, S, 60 * S, (job_s[i - 1] + 5) * S + 1),
                     (job_s[i] + 5) * S);
        cr_assert_eq(pt__resource_quota_retry_ns(5 * S, S, 60 * S, (job_s[i] + 5) * S),
                     (job_s[i] + 5) * S);
    }
    /* 5 ms doubling: 5, 15, 35, ... */
    cr_assert_eq(pt__resource_quota_retry_ns(0, 5000000, 1000 * S, 16000000), 35000000);
    cr_assert_eq(pt__resource_quota_retry_ns(0, S, 60 * S, PT_TIME_MAX), PT_NEVER);
    /* Far away, at once: no walk over a million tries. */
    cr_assert_eq(pt__resource_quota_retry_ns(0, S, 60 * S, (63 + 60000000) * S),
                 (63 + 60000000) * S);
}

/* Quota 2 of 8 GPUs. B is refused at 0 and tried again at 1, 3, 7, 15: what A leaves at 10 stays
 * idle until 15, though the cluster was never full. */
Test(k8s, what_a_quota_refuses_is_tried_again_by_the_clock)
{
    static const struct {
        const char *params;
        double start_s;
    } cases[] = {{"", 15}, {"controller=replicaset", 10.235}};
    for (int i = 0; i < 2; i++) {
        static struct rig rig;
        world(&rig, cases[i].params, 1, 8, 2000000);
        pt_job a = add(&rig, 0, 10, 2, 0, "x"), b = add(&rig, 0, 5, 1, 0, "x");
        pt_job free = add(&rig, 0, 5, 6, 0, "y");
        cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
        starts_at(&rig, a, 0);
        starts_at(&rig, free, 0);
        starts_at(&rig, b, cases[i].start_s);
        rig_fini(&rig);
    }
}

/* A pending pod counts against its quota as one that runs does. */
Test(k8s, pending_pods_hold_their_quota)
{
    static struct rig rig;
    world(&rig, "", 1, 4, 2000000);
    pt_job other = add(&rig, 0, 20, 4, 0, "y"), a = add(&rig, 1, 10, 2, 0, "x");
    pt_job b = add(&rig, 2, 10, 2, 0, "x");
    rig.world.tenant_of_word = (const uint32_t[]){1, 0};
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    starts_at(&rig, other, 0);
    starts_at(&rig, a, 20);
    starts_at(&rig, b, 33); /* refused until a's end at 30; tries at 2, 3, 5, 9, 17, 33 */
    rig_fini(&rig);
}

/* The later creation is later in the queue, whoever was submitted first. */
Test(k8s, the_queue_is_by_creation)
{
    static struct rig rig;
    world(&rig, "", 1, 2, 1000000);
    pt_job first = add(&rig, 0, 2, 1, 0, "x"), refused = add(&rig, 0, 10, 1, 0, "x");
    pt_job big = add(&rig, 0.5, 10, 2, 0, "y"), late = add(&rig, 2.5, 10, 2, 0, "y");
    pt_job urgent = add(&rig, 2.6, 10, 2, 5, "y");
    rig.world.preemption.mode = PT_PREEMPTION_NONE;
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    starts_at(&rig, first, 0);
    starts_at(&rig, big, 2);
    starts_at(&rig, urgent, 12);  /* by priority */
    starts_at(&rig, late, 22);    /* created at 2.5 */
    starts_at(&rig, refused, 32); /* created at 3 */
    rig_fini(&rig);
}

Test(k8s, more_than_the_whole_quota_is_never_created)
{
    static struct rig rig;
    world(&rig, "", 1, 8, 2000000);
    pt_job big = add(&rig, 0, 10, 3, 0, "x"), small = add(&rig, 0, 10, 2, 0, "x");
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    cr_assert_eq(rig.results[big].state, PT_STATE_UNSCHEDULABLE);
    starts_at(&rig, small, 0);
    rig_fini(&rig);
}

/* Two nodes of 4: on the first the highest victim would have priority 2, on the second 1, though
 * that takes two victims; so the second. Kubernetes looks at that before it counts. */
Test(k8s, takes_the_node_whose_highest_victim_is_lowest)
{
    static struct rig rig;
    world(&rig, "", 2, 4, PT_QUOTA_NONE);
    pt_job two = add(&rig, 0, 100, 4, 2, "y"), one = add(&rig, 1, 100, 2, 1, "y");
    pt_job other = add(&rig, 2, 100, 2, 1, "y"), high = add(&rig, 10, 5, 4, 9, "y");
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    starts_at(&rig, high, 10);
    cr_assert_eq(rig.results[two].preemptions, 0);
    cr_assert_eq(rig.results[one].preemptions + rig.results[other].preemptions, 2);
    cr_assert_float_eq(pt_seconds(rig.results[one].end_ns), 115, 1e-9, "killed: it begins anew");
    rig_fini(&rig);
}

/* As many as possible are put back, the highest priority and the earliest started first. */
Test(k8s, puts_back_whom_it_can)
{
    static struct rig rig;
    world(&rig, "", 1, 4, PT_QUOTA_NONE);
    pt_job jobs[4];
    for (int i = 0; i < 4; i++)
        jobs[i] = add(&rig, i, 100, 1, i == 1 ? 0 : 1, "y");
    pt_job high = add(&rig, 10, 5, 2, 9, "y");
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    starts_at(&rig, high, 10);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(rig.results[jobs[i]].preemptions, i == 1 || i == 3, "job %d", i);
    rig_fini(&rig);
}

/* No pod spans nodes, no gang larger than a node stops anybody, nobody is held back by others. */
Test(k8s, pods_stay_on_a_node_and_gangs_stop_nobody)
{
    static struct rig rig;
    world(&rig, "", 2, 4, PT_QUOTA_NONE);
    pt_job a = add(&rig, 0, 100, 2, 0, "y"), b = add(&rig, 0, 50, 3, 0, "y");
    pt_job pod = add(&rig, 1, 10, 3, 0, "y"), gang = add(&rig, 2, 10, 8, 9, "y");
    pt_job small = add(&rig, 3, 10, 2, 0, "y");
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    starts_at(&rig, a, 0);
    starts_at(&rig, b, 0);
    starts_at(&rig, pod, 50); /* 2 + 1 GPUs are free, on two nodes */
    starts_at(&rig, small, 3);
    starts_at(&rig, gang, 100);
    cr_assert_eq(rig.results[a].preemptions, 0);
    rig_fini(&rig);
}

/* Refused for hours: tries come round every minute, 63 s + n minutes after each creation, and the
 * first try after a release wins, whoever was created first. */
Test(k8s, those_who_wait_for_long_try_every_minute)
{
    static struct rig rig;
    world(&rig, "", 1, 8, 1000000);
    pt_job holder = add(&rig, 0, 7200, 1, 0, "x");
    pt_job jobs[3];
    for (int i = 0; i < 3; i++)
        jobs[i] = add(&rig, 10 + 20 * i, 100, 1, 0, "x");
    pt_job fresh = add(&rig, 7198, 100, 1, 0, "x");
    cr_assert_eq(rig_run(&rig), PT_OK, "%s", rig.error.message);
    starts_at(&rig, holder, 0);
    starts_at(&rig, fresh, 7201);   /* tries at 7198, 7199, 7201 */
    starts_at(&rig, jobs[2], 7313); /* free from 7301 on: it tries at 50 + 63 + 60 n */
    starts_at(&rig, jobs[1], 7413); /* 30 + 63 + 60 n, just as the other leaves */
    starts_at(&rig, jobs[0], 7513);
    rig_fini(&rig);
}
