/* Helpers for tests of the loader: texts in, experiments or messages out. */
#ifndef PT_TESTS_EXPERIMENT_SUPPORT_H
#define PT_TESTS_EXPERIMENT_SUPPORT_H

#include "sim/experiment/config.h"

/* A whole small experiment: its head (version and four exclusive GPUs), and a job. */
#define HEAD "partita: 1\ncluster: {gpus: 4}\n"
#define JOB "trace: {jobs: [{id: a, submit_s: 0, work_s: 1}]}\n"

/* Loads "test.yaml" with --set arguments (NULL-terminated list or NULL); fails the test, printing
 * the messages, when that is refused. Free with pt_config_free. */
struct pt_config *load(const char *text, const char *const *sets);

/* The messages of a load that must be refused with PT_ERR_INPUT; the caller frees them. */
char *refusal(const char *text, const char *const *sets);

/* Asserts that the refusal of `text` with one --set argument (or NULL) is exactly `message` lines,
 * source lines and carets left out. */
void assert_refused(const char *text, const char *set, const char *message);

/* What pt_messages_print writes; the caller frees it. */
char *printed(const struct pt_messages *messages, bool color);

#endif
