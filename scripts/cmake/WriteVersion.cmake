# Run with cmake -P by the target ergode_version. COMMIT is `unknown` where there is no git or no repository, and ends in
# -modified when tracked files differ from it.
set(COMMIT unknown)
if(GIT AND EXISTS "${SOURCE_DIR}/.git")
  # A source folder that another user owns (a mounted one, say) is still ours to read.
  set(git "${GIT}" -c "safe.directory=${SOURCE_DIR}" -C "${SOURCE_DIR}")
  execute_process(COMMAND ${git} rev-parse --short=12 HEAD OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE failed)
  if(NOT failed)
    set(COMMIT "${head}")
    execute_process(COMMAND ${git} diff --quiet HEAD -- RESULT_VARIABLE modified ERROR_QUIET OUTPUT_QUIET)
    if(modified EQUAL 1)
      string(APPEND COMMIT -modified)
    endif()
  endif()
endif()
configure_file("${INPUT}" "${OUTPUT}" @ONLY)  # leaves a file alone that would not change
