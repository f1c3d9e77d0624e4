/* Kept for callers inside the folder; see partita/suggest.h. */
#ifndef PT_EXPERIMENT_SUGGEST_H
#define PT_EXPERIMENT_SUGGEST_H

#include "partita/suggest.h"

#endif
