/* Keys of a file of gates. */
#include "sim/experiment/rows.h"
#include "sim/experiment/tables.h"

static const struct pt_row gate_rows[] = {
    VALUE("name", TEXT, "", NULL, "1", NULL, 0, "what reports call it"),
    VALUE("fail_on", TEXT, "", NULL, "1", NULL, 0,
          "the condition that must not hold, as --fail-on takes it: jct_p95_s{tenant=acme} > 2h"),
    END};
static const struct pt_schema gate = {"gate", gate_rows, false, NULL, "name"};

static const struct pt_row gates_rows[] = {
    INNER("gates", LIST, NULL, "1", NULL, 0, &gate, "the conditions"), END};
const struct pt_schema pt_schema_gates = {"gates", gates_rows, false, NULL, NULL};
