import { useMemo, useRef } from 'react'
import { useKeys } from '../../../shell/keys.ts'
import { words } from '../../../words/words.ts'

interface ComposerKeys {
  onDone: () => void
  onSave: () => void
  /** Of the versions, by their place. */
  onVersion: (at: number) => void
}

const places = [1, 2, 3, 4, 5, 6, 7]

/** The keys of the composer; they act while one writes. */
export function useComposerKeys(keys: ComposerKeys) {
  const latest = useRef(keys)
  latest.current = keys
  useKeys(
    useMemo(
      () => [
        { keys: 'mod+Enter', name: words.composer.keys.done, run: () => latest.current.onDone() },
        { keys: 'mod+s', name: words.composer.keys.save, run: () => latest.current.onSave() },
        ...places.map((place) => ({
          keys: `alt+${place}`,
          name: place === 1 ? words.composer.all : words.composer.keys.version(place),
          run: () => latest.current.onVersion(place - 1),
        })),
      ],
      [],
    ),
  )
}
