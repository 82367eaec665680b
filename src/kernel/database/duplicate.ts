/** Whether the statement failed because another row has the same value under this unique index. */
export function isDuplicate(error: unknown, index: string): boolean {
  const { code, constraint, message = '' } = error as { code?: string; constraint?: string; message?: string }
  if (code !== '23505') return false
  if (constraint !== undefined) return constraint === index
  // A cluster names it in its message alone, as it is called on the node: with the number of the shard.
  return message.split(/\W/).some((word) => word === index || isShardOf(word, index))
}

const isShardOf = (word: string, index: string) =>
  word.startsWith(`${index}_`) && /^\d+$/.test(word.slice(index.length + 1))
