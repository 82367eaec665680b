import type { KeyboardEvent } from 'react'
import type { Network } from '#networks/manifests.ts'
import { Icon } from '../../../../ui/marks/icons.tsx'
import { NetworkMark } from '../../../../ui/marks/network-mark.tsx'
import { number } from '../../../../words/format.ts'
import { words } from '../../../../words/words.ts'
import type { Verdict } from './verdict.ts'

interface VersionsProps {
  id: string
  /** The versions there are; the first is for all networks. */
  tabs: readonly (Network | 'all')[]
  current: Network | 'all'
  verdicts: readonly Verdict[]
  own: { readonly [network in Network]?: unknown }
  /** Which the service has refused. */
  refused: ReadonlyMap<Network, string>
  onChange: (tab: Network | 'all') => void
}

/** One text for all, and a tab for each network: whether it fits, how much is left, and whether it has words of its own. */
export function Versions({ id, tabs, current, verdicts, own, refused, onChange }: VersionsProps) {
  const press = (event: KeyboardEvent, at: number) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -at, End: tabs.length - 1 - at }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = tabs[(at + step + tabs.length) % tabs.length] ?? 'all'
    onChange(next)
    document.getElementById(`${id}-tab-${next}`)?.focus()
  }
  return (
    <div className="versions" role="tablist" aria-label={words.composer.versions} data-sideways>
      {tabs.map((tab, index) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`${id}-tab-${tab}`}
          aria-selected={tab === current}
          aria-controls={`${id}-sheet`}
          tabIndex={tab === current ? 0 : -1}
          onClick={() => onChange(tab)}
          onKeyDown={(event) => press(event, index)}
        >
          {tab === 'all' ? (
            words.composer.all
          ) : (
            <>
              <NetworkMark network={tab} label />
              <Standing verdict={verdicts.find(({ network }) => network === tab)} isRefused={refused.has(tab)} />
              {own[tab] !== undefined && (
                <span className="versions-own">
                  <span className="unseen">{words.composer.hasOwn}</span>
                </span>
              )}
            </>
          )}
        </button>
      ))}
    </div>
  )
}

/** What is left, once it matters; else whether it fits. */
function Standing({ verdict, isRefused }: { verdict: Verdict | undefined; isRefused: boolean }) {
  if (!verdict) return null
  const { length, max, problems } = verdict
  const left = max - length
  if (left < 0 || (left < max / 5 && problems.length === 0 && !isRefused))
    return (
      <span className="versions-left number" data-over={left < 0 || undefined}>
        {number(left)}
        <span className="unseen">{left < 0 ? words.composer.tooMany : words.composer.left}</span>
      </span>
    )
  const isWrong = problems.length > 0 || isRefused
  return (
    <span className="versions-fits" data-wrong={isWrong || undefined}>
      <Icon name={isWrong ? 'warning' : 'check'} />
      <span className="unseen">{isWrong ? words.composer.doesNotFit : words.composer.fits}</span>
    </span>
  )
}
