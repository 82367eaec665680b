import type { Command } from '../command.ts'
export const transferCommands: readonly Command[] = []
