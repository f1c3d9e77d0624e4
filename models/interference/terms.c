#include "models/interference/laws.h"

/* A slow-down is taken apart by asking the model again with one thing more each time: the instance,
 * the cap, the neighbours, what switching costs, ... Each factor is the ratio of two answers. */
struct terms {
    struct pt_term *list;
    uint32_t count;
    double slow; /* the product so far */
};

/* The term that takes the product to `slow`; left out when it changes nothing. */
static void add(struct terms *terms, const char *name, double slow)
{
    double factor = slow / terms->slow;
    terms->slow = slow;
    if (factor != 1) terms->list[terms->count++] = (struct pt_term){.name = name, .factor = factor};
}

/* Power and PCIe: what the board adds to the units' slow-downs, all of which go into scratch. */
static void add_board(struct terms *terms, double *scratch, const struct pt_partition *partitions,
                      uint32_t partition_count, uint32_t which, uint32_t resident,
                      const struct pt_interference_ops *ops, const void *state, double slope)
{
    size_t offset = 0, at = 0;
    for (uint32_t k = 0; k < partition_count; k++) {
        if (k == which) at = offset + resident;
        ops->unit(scratch + offset, &partitions[k], state);
        offset += partitions[k].count;
    }
    const struct pt_partition *partition = &partitions[which];
    double unit = scratch[at];
    double watts = pt__board_watts(scratch, partitions, partition_count);
    ops->board(scratch, partitions, partition_count, state);
    if (scratch[at] == unit) return;
    double power =
        pt__board_power(partition->residents[resident].traits, partition->gpu, watts, slope);
    add(terms, "power", unit * power);
    add(terms, "PCIe", scratch[at]);
}

static const char *neighbours_name(enum pt_sharing sharing)
{
    return sharing == PT_SHARING_SMS ? "neighbours" : "turns";
}

uint32_t pt__terms(struct pt_term *list, double *scratch, const struct pt_partition *partitions,
                   uint32_t partition_count, uint32_t which, uint32_t resident,
                   const struct pt_interference_ops *ops, const void *state, const void *plain,
                   double slope)
{
    struct terms terms = {.list = list, .slow = 1};
    struct pt_partition partition = partitions[which];
    const struct pt_traits *traits = partition.residents[resident].traits;
    if (partition.share < 1)
        add(&terms, "instance",
            ops->alone(traits, partition.share, partition.instance, partition.gpu, plain));
    struct pt_partition one = partition;
    one.residents += resident;
    one.count = 1;
    one.switch_loss = one.cap_contention = 0;
    ops->unit(scratch, &one, plain);
    add(&terms, partition.sharing == PT_SHARING_FIXED ? "turns" : "cap", scratch[0]);
    partition.switch_loss = partition.cap_contention = 0;
    ops->unit(scratch, &partition, plain);
    add(&terms, neighbours_name(partition.sharing), scratch[resident]);
    partition.switch_loss = partitions[which].switch_loss;
    ops->unit(scratch, &partition, plain);
    add(&terms, "switch loss", scratch[resident]);
    partition.cap_contention = partitions[which].cap_contention;
    ops->unit(scratch, &partition, plain);
    add(&terms, "contention", scratch[resident]);
    ops->unit(scratch, &partition, state);
    add(&terms, "residual", scratch[resident]);
    if (ops->board)
        add_board(&terms, scratch, partitions, partition_count, which, resident, ops, state, slope);
    return terms.count;
}
