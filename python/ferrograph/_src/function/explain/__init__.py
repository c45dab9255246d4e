"""Why functions were traced: records in words. Imported when somebody asks."""
