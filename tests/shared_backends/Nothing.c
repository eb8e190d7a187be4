/* No backend at all. */
int nothing(void);
int nothing(void) {
  return 0;
}
