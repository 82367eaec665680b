declare const kind: unique symbol

/** The name of a kind of object whose changes browsers are notified of. The area that owns it declares it. */
export type ChangeKind<Name extends string = string> = Name & { readonly [kind]: true }

export const changeKinds = <const Name extends string>(
  ...names: readonly Name[]
): { readonly [name in Name]: ChangeKind<name> } =>
  Object.fromEntries(names.map((name) => [name, name])) as { readonly [name in Name]: ChangeKind<name> }

/** Notifies browsers that an object changed, without the change itself: users who may see it read it again. */
export interface ChangeNotification {
  readonly kind: ChangeKind
  /** Null if many objects of the kind changed together. */
  readonly id: string | null
  /** Parent object: the campaign of a post, the board of a story, the content of an approval. */
  readonly parent: string | null
  /** The campaign or board whose teams see it, the user if only one does, or null if everyone in the account does. */
  readonly scope: string | null
}
