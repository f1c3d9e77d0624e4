#include "sim/experiment/loader.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/experiment/support.h"

Test(loader, keeps_the_files_that_an_experiment_names)
{
    static struct pt_config config;
    struct pt_yaml yaml;
    struct pt_messages messages;
    struct pt__loader loader = {
        .config = &config, .yaml = &yaml, .messages = &messages, .origin_dir = "folder"};
    pt_yaml_init(&yaml);
    pt_messages_init(&messages);
    const struct pt_yaml_place place = {"e.yaml", 3, 4};
    struct pt_yaml_node *node = pt_yaml_new_scalar(&yaml, place, "gpus.yaml", 9);
    struct pt_yaml_node *absolute = pt_yaml_new_scalar(&yaml, place, "/gpus.yaml", 10);
    cr_assert_str_eq(pt__loader_input(&loader, node), "folder/gpus.yaml");
    cr_assert_str_eq(pt__loader_input(&loader, absolute), "/gpus.yaml");
    cr_assert_eq(config.file_count, 2);
    cr_assert_str_eq(config.files[0].path, "folder/gpus.yaml");
    cr_assert_str_eq(config.files[0].path_as_written, "gpus.yaml");
    cr_assert_str_eq(config.files[1].path, "/gpus.yaml");
    while (config.file_count < PT_INPUT_FILES_MAX)
        cr_assert_not_null(pt__loader_input(&loader, node));
    cr_assert_not(loader.wrong);
    cr_assert_null(pt__loader_input(&loader, node));
    cr_assert(loader.wrong);
    cr_assert_eq(config.file_count, PT_INPUT_FILES_MAX);
    char *said = printed(&messages, false);
    cr_assert_str_eq(said, "e.yaml:3:4: more than 16 input files\n");
    free(said);
    pt_messages_fini(&messages);
    pt_yaml_fini(&yaml);
}
