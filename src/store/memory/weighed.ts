/** Knows what it takes up in this process, about. */
export interface Weighed {
  bytes(): number;
}
