import { badInput } from '../connector/fault.ts'

/** Where reading goes on: threads whose answers did not all ride along, and then the next page of threads. */
export interface Position {
  page?: string | undefined
  long: { id: string; videoId?: string | undefined; page?: string | undefined }[]
}

export function readPosition(cursor?: string): Position {
  if (cursor === undefined) return { long: [] }
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as Position
  } catch {
    throw badInput('YouTube', 'This is not a place where reading comments can go on.')
  }
}

/** Nothing at the end. */
export const writePosition = (position: Position): string | undefined =>
  position.page === undefined && !position.long.length
    ? undefined
    : Buffer.from(JSON.stringify(position)).toString('base64url')
