if (test_text() /= '') error stop
