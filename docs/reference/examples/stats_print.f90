call stats_set_profile(.true.)
call stats_print()
