/* Text broken into lines for a terminal. */
#ifndef PT_CLI_WRAP_H
#define PT_CLI_WRAP_H

#include <stdio.h>

/* Prints words from the cursor's column on, broken before `width`, later lines indented by so many
 * blanks; ends the line. Bytes count as columns. */
void pt__wrap(FILE *out, const char *text, int column, int indent, int width);

#endif
