
	/host:CPU
”Task Environment*profile_options*profile_stop_time*profile_start_time2¥«­ø·þ¤ö2ƒê±ø·þ¤ö22(8Rlogs"vm