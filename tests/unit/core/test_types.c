#include "partita/types.h"

#include <criterion/criterion.h>

Test(types, states_have_words)
{
    cr_assert_str_eq(pt_job_state_name(PT_STATE_HELD), "pending");
    cr_assert_str_eq(pt_job_state_name(PT_STATE_DONE), "done");
    cr_assert_str_eq(pt_job_state_name(PT_STATE_UNSCHEDULABLE), "unschedulable");
    cr_assert_str_eq(pt_job_state_name(PT_STATE_COUNT), "unknown");
}

Test(types, nothing_leaves_a_final_state)
{
    cr_assert_not(pt_job_state_is_final(PT_STATE_FUTURE));
    cr_assert_not(pt_job_state_is_final(PT_STATE_RUNNING));
    cr_assert(pt_job_state_is_final(PT_STATE_DONE));
    cr_assert(pt_job_state_is_final(PT_STATE_UNSCHEDULABLE));
    cr_assert_not(pt_job_state_is_final(PT_STATE_COUNT));
}

Test(types, reasons_have_texts)
{
    cr_assert_str_eq(pt_reason_text(PT_REASON_NONE), "");
    cr_assert_str_eq(pt_reason_text(PT_REASON_OOM), "out of GPU memory at its start");
    cr_assert_str_eq(pt_reason_text(PT_REASON_COUNT), "");
}
