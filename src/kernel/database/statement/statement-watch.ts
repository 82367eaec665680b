/** Gets the text of every statement and what it is sent with, in the call that sends it. */
type Hear = (text: string, parameters: readonly unknown[]) => void

let hear: Hear | undefined

/** For tests: from now on hears of every statement this process sends in the name of the service. */
export const watchStatements = (heard: Hear | undefined) => {
  hear = heard
}

/** Tells whoever watches; nothing where nobody does. */
export const followStatement = (text: string, parameters: readonly unknown[]) => hear?.(text, parameters)
