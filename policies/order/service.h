/* What a job has been served so far, for the orders that know nothing else of it; and rounds in
 * which they look at that anew. */
#ifndef PT_ORDER_SERVICE_H
#define PT_ORDER_SERVICE_H

#include "policies/order/ranked.h"

/* Sets up the order for a rule; of its parameters the first is `blocking` and none is `by`. */
enum pt_status pt__service_init(struct pt_ranked *order, const struct pt_ctx *ctx,
                                const struct pt_value *values, const struct pt_ranked_rule *rule,
                                struct pt_error *error);

/* GPUs that it asks for, in millionths: gpus x gpu_frac. */
uint64_t pt__gpus_asked(const struct pt_ctx *ctx, pt_job job);
/* Time, or (`by_gpus`) time x GPUs, that it was served, less `before_ns` of its time; in ns and
 * millionths of a GPU; below PT_QUEUE_LAST. */
pt_u128 pt__service(const struct pt_ctx *ctx, pt_job job, bool by_gpus, int64_t before_ns);

/* Keys of running jobs that grow as they are served are read anew in rounds: when somebody waits
 * after a pass, at once and then every `every_ns` as long as somebody does. Between two rounds
 * nothing of it changes who runs: that bounds how often jobs are stopped. */
struct pt_rounds {
    int64_t every_ns, next_ns; /* PT_NEVER = none is due */
};

void pt__rounds_init(struct pt_rounds *rounds, int64_t every_ns);
/* Reads all running jobs' keys anew. O(running log running). */
void pt__rounds_now(struct pt_ranked *order, struct pt_ctx *ctx);
/* At a timer: the round, if it is due. */
void pt__rounds_on_timer(struct pt_rounds *rounds, struct pt_ranked *order, struct pt_ctx *ctx);
/* A pass of pt__ranked_schedule, and the round that it may begin. */
enum pt_status pt__rounds_schedule(struct pt_rounds *rounds, struct pt_ranked *order,
                                   struct pt_ctx *ctx);

#endif
