/** What a backup says about itself in its first line, and a move knows about its source. */
export interface Header {
  format: 'chorus-backup'
  formatVersion: number
  /** The version of Chorus that made it. */
  version: string
  date: string
  migrations: AppliedMigration[]
  /** In an order in which they can be loaded. */
  tables: Table[]
  sequences: Sequence[]
}

export interface AppliedMigration {
  name: string
  checksum: string
}

export interface Table {
  name: string
  /** Without those the database computes itself. */
  columns: string[]
  rowEstimate: number
}

export interface Sequence {
  name: string
  value: string
  called: boolean
}
