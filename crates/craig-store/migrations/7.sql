-- References and names are packed in another way; those of before are read again with the next ingestion, as with 6.
UPDATE names SET referenced = x'', named = x'';
