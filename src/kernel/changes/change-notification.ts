declare const kind: unique symbol

/** The name of a kind of thing whose changes browsers are notified of. The area that owns it declares it. */
export type ChangeKind<Name extends string = string> = Name & { readonly [kind]: true }

export const changeKinds = <const Name extends string>(
  ...names: readonly Name[]
): { readonly [name in Name]: ChangeKind<name> } =>
  Object.fromEntries(names.map((name) => [name, name])) as { readonly [name in Name]: ChangeKind<name> }

/** Notifies browsers that something changed, without saying how: those who may see it read it again. */
export interface ChangeNotification {
  readonly kind: ChangeKind
  /** Null where many of the kind changed at once. */
  readonly id: string | null
  /** What it belongs to: the campaign of a post, the board of a story, the content of an approval. */
  readonly parent: string | null
  /** The campaign or board whose teams see it, the user if only one does, or null if everyone in the account does. */
  readonly scope: string | null
}
