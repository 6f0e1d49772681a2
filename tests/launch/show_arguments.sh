#!/bin/sh
for argument in "$@"; do printf "<%s>" "$argument"; done
echo
