-- Names are packed in another way; those of before are read again with the next ingestion, which reads all files anew.
UPDATE names SET named = x'';
