import { Dialog } from '../ui/layers/dialog.tsx'
import { Kbd, spokenKeys } from '../ui/marks/kbd.tsx'
import { words } from '../words/words.ts'
import { boundKeys, useLetters } from './keys.ts'

/** The keys that act now. */
export function KeyList({ onClose }: { onClose: () => void }) {
  const areLettersOn = useLetters()
  const groups = boundKeys()
  const sections = (['screen', 'everywhere'] as const)
    .map((scope) => ({
      scope,
      bindings: groups.filter((group) => group.scope === scope).flatMap(({ bindings }) => bindings),
    }))
    .filter(({ bindings }) => bindings.length > 0)
  return (
    <Dialog title={words.shell.keys} onClose={onClose} className="key-list">
      {!areLettersOn && <p className="quiet">{words.shell.lettersAreOff}</p>}
      {sections.map(({ scope, bindings }) => (
        <section key={scope}>
          <h3>{scope === 'screen' ? words.shell.keysHere : words.shell.keysEverywhere}</h3>
          <dl>
            {bindings.map(({ keys, name }) => (
              <div key={keys}>
                <dt>
                  <Kbd keys={keys} />
                  <span className="unseen">{spokenKeys(keys)}</span>
                </dt>
                <dd>{name}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
