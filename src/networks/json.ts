/** What a network says, and what is small enough to be kept beside a post. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
