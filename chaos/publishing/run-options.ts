import type { Nodes } from '../database/nodes.ts'
import type { Programs } from '../programs.ts'
import type { Databases } from './databases.ts'
import type { Scene } from './scene.ts'

/** What every run needs. */
export interface RunOptions {
  programs: Programs
  databases: Databases
  seed: number
  /** The networks and what is not killed run in this process: for small runs. */
  inside?: true
  /** One that several small runs have after one another, with as many workers as they want. */
  scene?: Scene | undefined
  /** On a cluster: its nodes, which are killed as well. */
  nodes?: Nodes | undefined
  say?: (line: string) => void
}
