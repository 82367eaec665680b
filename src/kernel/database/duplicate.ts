/** Whether the statement failed because another row has the same value under this unique index. */
export function isDuplicate(error: unknown, index: string): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' && constraint === index
}
