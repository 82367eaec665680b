/** The most signs a title has. */
export const maximumTitle = 100

/** The description as YouTube shows it back. */
export const shownText = (text: string) => text.replaceAll('\r\n', '\n').trim()

/** The title that was given, or else the first line of the text as far as it fits; empty when there is neither. */
export function titleOf({ title, text }: { title?: string | undefined; text: string }): string {
  const [line = ''] = shownText(text).split('\n')
  return title?.trim() || shortened(line.replace(/[<>]/g, ''), maximumTitle)
}

/** Never half of a character. */
const shortened = (text: string, length: number) =>
  text.length <= length
    ? text.trim()
    : text
        .slice(0, length)
        .replace(/[\uD800-\uDBFF]$/, '')
        .trim()
