"""What ferrograph is made of. Private: public names are in the namespaces beside this folder."""
