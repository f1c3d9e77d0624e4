#include "sim/cli/commands.h"

int main(int argc, char **argv)
{
    return pt__main(argc, argv);
}
