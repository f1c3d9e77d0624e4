#include "sim/cli/wrap.h"

#include <string.h>

void pt__wrap(FILE *out, const char *text, int column, int indent, int width)
{
    int at = column;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (at > indent && at + 1 + word > width) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (at > column || at > indent) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, (size_t)word, out);
        at += word;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}
