import type { Context } from '#kernel/context.ts'

interface Converted {
  /** In small letters. */
  email: string
  clickId: string
  conversionTagId: string
}

/** Finds or makes the lead with an address, in the transaction of the conversion; gives its id, or nothing if it is to be none. */
export type LeadFinder = (context: Context, converted: Converted) => Promise<string | undefined>
