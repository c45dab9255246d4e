
	/host:CPU
”Task Environment*profile_options*profile_start_time*profile_stop_time2ιά΅―„¥φ2Ψο¦―„¥φ22(8Rlogs"vm