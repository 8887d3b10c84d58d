/* errors_table.h: the cases of errors.c. */

/* X(case, environment, status, how it ends) */
#define ERROR_CASES(X)                                                          \
    UNOPTIMISED_CASES(X)                                                        \
    X(null_handle_scalar, NULL, NULL_HANDLE, ABORTS)                            \
    X(null_handle_scalar_pop, NULL, NULL_HANDLE, ABORTS)                        \
    X(null_handle_array, NULL, NULL_HANDLE, ABORTS)                             \
    X(null_handle_section, NULL, NULL_HANDLE, ABORTS)                           \
    X(null_handle_control, NULL, NULL_HANDLE, ABORTS)                           \
    X(null_handle_count, NULL, NULL_HANDLE, ABORTS)                             \
    X(null_handle_status, NULL, NULL_HANDLE, RETURNS)                           \
    X(null_session, NULL, NULL_HANDLE, RETURNS)                                 \
    X(null_array, NULL, NULL_POINTER, ABORTS)                                   \
    X(null_array_pop, NULL, NULL_POINTER, ABORTS)                               \
    X(null_array_of_any_type, NULL, NULL_POINTER, ABORTS)                       \
    X(null_array_of_own_tape, NULL, NULL_POINTER, ABORTS)                       \
    X(null_bytes, NULL, NULL_POINTER, ABORTS)                                   \
    X(null_array_of_minus_one, NULL, COUNT_RANGE, ABORTS)                       \
    X(null_section, NULL, NULL_POINTER, ABORTS)                                 \
    X(null_extents, NULL, NULL_POINTER, ABORTS)                                 \
    X(null_strides, NULL, NULL_POINTER, ABORTS)                                 \
    X(null_result, NULL, NULL_POINTER, RETURNS)                                 \
    X(count_negative, NULL, COUNT_RANGE, ABORTS)                                \
    X(count_negative_pop, NULL, COUNT_RANGE, ABORTS)                            \
    X(count_negative_of_any_type, NULL, COUNT_RANGE, ABORTS)                    \
    X(count_least, NULL, COUNT_RANGE, ABORTS)                                   \
    X(count_absurd, NULL, COUNT_RANGE, ABORTS)                                  \
    X(count_absurd_pop, NULL, COUNT_RANGE, ABORTS)                              \
    X(count_absurd_of_any_type, NULL, COUNT_RANGE, ABORTS)                      \
    X(count_absurd_pop_of_any_type, NULL, COUNT_RANGE, ABORTS)                  \
    X(count_absurd_of_own_tape, NULL, COUNT_RANGE, ABORTS)                      \
    X(count_absurd_bytes, NULL, COUNT_RANGE, ABORTS)                            \
    X(section_too_large, NULL, COUNT_RANGE, ABORTS)                             \
    X(bits_none, NULL, BAD_ARGUMENT, ABORTS)                                    \
    X(bits_negative, NULL, BAD_ARGUMENT, ABORTS)                                \
    X(bits_65, NULL, BAD_ARGUMENT, ABORTS)                                      \
    X(bits_65_pop, NULL, BAD_ARGUMENT, ABORTS)                                  \
    X(bits_65_out_of_line, NULL, BAD_ARGUMENT, ABORTS)                          \
    X(bits_none_of_own_tape, NULL, BAD_ARGUMENT, ABORTS)                        \
    X(type_unknown, NULL, BAD_ARGUMENT, ABORTS)                                 \
    X(type_zero, NULL, BAD_ARGUMENT, ABORTS)                                    \
    X(type_of_control_array, NULL, BAD_ARGUMENT, ABORTS)                        \
    X(type_of_count_array, NULL, BAD_ARGUMENT, ABORTS)                          \
    X(section_type_unknown, NULL, BAD_ARGUMENT, ABORTS)                         \
    X(section_type_control, NULL, BAD_ARGUMENT, ABORTS)                         \
    X(section_rank_negative, NULL, BAD_ARGUMENT, ABORTS)                        \
    X(section_rank_16, NULL, BAD_ARGUMENT, ABORTS)                              \
    X(section_extent_negative, NULL, BAD_ARGUMENT, ABORTS)                      \
    X(trim_unknown, NULL, BAD_ARGUMENT, RETURNS)                                \
    X(operation_unknown, NULL, BAD_ARGUMENT, RETURNS)                           \
    X(descriptor_negative, NULL, BAD_ARGUMENT, RETURNS)                         \
    X(descriptor_not_open, NULL, IO, RETURNS)                                   \
    X(underflow_array, NULL, UNDERFLOW, ABORTS)                                 \
    X(underflow_array_of_any_type, NULL, UNDERFLOW, ABORTS)                     \
    X(underflow_array_of_own_tape, NULL, UNDERFLOW, ABORTS)                     \
    X(underflow_section, NULL, UNDERFLOW, ABORTS)                               \
    X(underflow_scalar, NULL, UNDERFLOW, ABORTS)                                \
    X(underflow_scalar_out_of_line, NULL, UNDERFLOW, ABORTS)                    \
    X(underflow_control, NULL, UNDERFLOW, ABORTS)                               \
    X(underflow_count, NULL, UNDERFLOW, ABORTS)                                 \
    X(underflow_local, NULL, UNDERFLOW, ABORTS)                                 \
    X(underflow_in_repeat, NULL, UNDERFLOW, ABORTS)                             \
    X(corrupt_control, NULL, CORRUPT, ABORTS)                                   \
    X(corrupt_count, NULL, CORRUPT, ABORTS)                                     \
    X(mismatch_type, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                        \
    X(mismatch_count, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                       \
    X(mismatch_array_as_scalar, "ADTAPE_CHECK=1", MISMATCH, ABORTS)             \
    X(mismatch_more_than_there_is, "ADTAPE_CHECK=1", MISMATCH, ABORTS)          \
    X(mismatch_section, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                     \
    X(mismatch_width, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                       \
    X(mismatch_value_for_bits, "ADTAPE_CHECK=1", MISMATCH, ABORTS)              \
    X(mismatch_bits_for_value, "ADTAPE_CHECK=1", MISMATCH, ABORTS)              \
    X(mismatch_value_for_count, "ADTAPE_CHECK=1", MISMATCH, ABORTS)             \
    X(mismatch_count_for_value, "ADTAPE_CHECK=1", MISMATCH, ABORTS)             \
    X(mismatch_many_bits, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                   \
    X(mismatch_local, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                       \
    X(site_of_last_calls, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                   \
    X(site_of_last_section, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                 \
    X(mismatch_nothing_left, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                \
    X(mismatch_no_bits_left, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                \
    X(mismatch_in_repeat, "ADTAPE_CHECK=1", MISMATCH, ABORTS)                   \
    X(mismatch_with_push_in_repeat, "ADTAPE_CHECK=1", MISMATCH, ABORTS)         \
    X(mismatch_after_mark_reset, "ADTAPE_CHECK=1", MISMATCH, ABORTS)            \
    X(repeat_reset_without_start, NULL, REPEAT_UNBALANCED, RETURNS)             \
    X(repeat_end_without_start, NULL, REPEAT_UNBALANCED, RETURNS)               \
    X(mark_foreign, NULL, MARK_FOREIGN, RETURNS)                                \
    X(marks_of_two_tapes, NULL, MARK_FOREIGN, RETURNS)                          \
    X(mark_above_top, NULL, MARK_ABOVE_TOP, RETURNS)                            \
    X(mark_replaced, "ADTAPE_CHECK=1", MARK_ABOVE_TOP, RETURNS)                 \
    X(wrong_thread_push, "ADTAPE_CHECK=1", WRONG_THREAD, ABORTS)                \
    X(wrong_thread_status, NULL, WRONG_THREAD, RETURNS)                         \
    X(wrong_thread_free, NULL, WRONG_THREAD, RETURNS)                           \
    X(released_push, NULL, RELEASED, ABORTS)                                    \
    X(released_pop_control, NULL, RELEASED, ABORTS)                             \
    X(released_status, NULL, RELEASED, RETURNS)                                 \
    X(acquire_unreleased, NULL, RELEASED, RETURNS)                              \
    X(attached_push, NULL, ATTACHED, ABORTS)                                    \
    X(attached_pop_array, NULL, ATTACHED, ABORTS)                               \
    X(attached_status, NULL, ATTACHED, RETURNS)                                 \
    X(attached_release, NULL, ATTACHED, RETURNS)                                \
    X(detach_unattached, NULL, ATTACHED, RETURNS)                               \
    X(local_after_detach, NULL, ATTACHED, ABORTS)                               \
    X(memory_limit_by_call, NULL, MEMORY_LIMIT, ABORTS)                         \
    X(memory_limit_by_environment, "ADTAPE_MEMORY_LIMIT=1M", MEMORY_LIMIT, ABORTS) \
    X(bad_check, "ADTAPE_CHECK=maybe", BAD_ENVIRONMENT, RETURNS | BARE)         \
    X(bad_profile, "ADTAPE_PROFILE=2", BAD_ENVIRONMENT, RETURNS | BARE)         \
    X(bad_memory_limit, "ADTAPE_MEMORY_LIMIT=lots", BAD_ENVIRONMENT, RETURNS | BARE) \
    X(bad_reserve, "ADTAPE_RESERVE=-1", BAD_ENVIRONMENT, RETURNS | BARE)        \
    X(bad_step, "ADTAPE_STEP=12", BAD_ENVIRONMENT, RETURNS | BARE)              \
    X(bad_huge_pages, "ADTAPE_HUGE_PAGES=yes", BAD_ENVIRONMENT, RETURNS | BARE) \
    X(bad_environment_push, "ADTAPE_MEMORY_LIMIT=8X", BAD_ENVIRONMENT, ABORTS | BARE)
