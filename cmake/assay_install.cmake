# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
if(TARGET assay)
  install(TARGETS assay RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY cases/ DESTINATION "${CMAKE_INSTALL_DATADIR}/assay/cases")
install(DIRECTORY schema/ DESTINATION "${CMAKE_INSTALL_DATADIR}/assay/schema")
install(DIRECTORY scripts/runtimes/ DESTINATION "${CMAKE_INSTALL_DATADIR}/assay/runtimes")
install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
