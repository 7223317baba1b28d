"""Files at paths and at addresses of object storage (`s3://...`) alike. Knows no Data-Juicer."""
