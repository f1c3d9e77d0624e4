#include "partita/types.h"

const char *pt_job_state_name(enum pt_job_state state)
{
    switch (state) {
#define PT_STATE_CASE(name, value, text)                                                           \
    case name:                                                                                     \
        return text;
        PT_JOB_STATE_MAP(PT_STATE_CASE)
#undef PT_STATE_CASE
    case PT_STATE_COUNT:
        break;
    }
    return "unknown";
}

bool pt_job_state_is_final(enum pt_job_state state)
{
    return state >= PT_STATE_DONE && state <= PT_STATE_UNSCHEDULABLE;
}

const char *pt_reason_text(enum pt_reason reason)
{
    switch (reason) {
#define PT_REASON_CASE(name, value, text)                                                          \
    case name:                                                                                     \
        return text;
        PT_REASON_MAP(PT_REASON_CASE)
#undef PT_REASON_CASE
    case PT_REASON_COUNT:
        break;
    }
    return "";
}
