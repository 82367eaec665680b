import type { Selectable } from 'kysely'
import type { Clicks } from '#kernel/database/tables.ts'

/** What a visit to a short link was. Only `human` counts. */
export const clickClasses = ['human', 'bot', 'preview', 'head', 'prefetch', 'duplicate'] as const

export type ClickClass = (typeof clickClasses)[number]

export type ClickRow = Selectable<Clicks>
