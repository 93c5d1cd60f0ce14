// SPDX-License-Identifier: Apache-2.0
// Carries the precompiled headers that every test program shares.

int main() { return 0; }
