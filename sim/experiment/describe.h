/* Schemas for readers: JSON Schema for editors, a list of every key for the manual.
 *
 * Both are written from the tables that check the files, so neither can be out of date.
 */
#ifndef PT_EXPERIMENT_DESCRIBE_H
#define PT_EXPERIMENT_DESCRIBE_H

#include <stdio.h>

#include "sim/experiment/catalog.h"
#include "sim/experiment/schema.h"

enum pt_describe_format { PT_DESCRIBE_MARKDOWN, PT_DESCRIBE_ROFF };

/* Writes the schema as JSON Schema (draft 2020-12), ending in a newline. What it accepts is what
 * pt_schema_check accepts, but for rules between keys and ranges of numbers in quotes. Without a
 * catalogue (NULL) any text is a GPU. Errors are the stream's: see ferror. */
void pt_describe_json(FILE *stream, const struct pt_schema *schema,
                      const struct pt_catalog *catalog);

/* Writes every key with its type, default, range and meaning: a table in Markdown, a list of
 * tagged paragraphs in roff. Parameters of what can be picked come under the name that has them.
 * Where a value that may be one scalar follows another of its kind, its keys are not said again. */
void pt_describe_keys(FILE *stream, const struct pt_schema *schema, enum pt_describe_format format);

#endif
