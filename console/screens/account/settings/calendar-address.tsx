import { useState } from 'react'
import { Button } from '../../../ui/inputs/button.tsx'
import { Copy } from '../../../ui/inputs/copy.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Problem } from '../../../ui/layout/states.tsx'
import { call } from '../../../wire/call.ts'
import { readAgain, told, useCall } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'
import { ago } from '../moment.ts'
import { Group } from './part.tsx'

/** The address at which other calendars read one's own. It is shown when it is made, and kept nowhere here. */
export function CalendarAddress() {
  const { data, error, refetch } = useCall('GET /calendar-key', {})
  const [url, setUrl] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const change = async (work: () => Promise<string | undefined>) => {
    setIsBusy(true)
    try {
      setUrl(await work())
    } catch (failure) {
      say(told(failure).sentence, { kind: 'problem' })
    }
    setIsBusy(false)
    readAgain('GET /calendar-key')
  }
  const make = () => change(async () => (await call('POST /calendar-key', {})).Url)
  const remove = () =>
    change(async () => {
      await call('DELETE /calendar-key')
      say(words.settings.calendarRemoved)
      return undefined
    })
  return (
    <Group title={words.settings.calendar} why={words.settings.calendarWhy}>
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {url !== undefined && (
        <>
          <Copy label={words.settings.calendarAddress} text={url} />
          <p className="hint">{words.settings.shownOnce}</p>
        </>
      )}
      {data && (
        <>
          <p>
            {data.HasKey
              ? words.settings.calendarThere(
                  ago(data.Created, words.settings.never),
                  ago(data.LastUsed, words.settings.never),
                )
              : words.settings.calendarNone}
          </p>
          <div className="settings-acts">
            <Button busy={isBusy} onClick={() => void make()}>
              {data.HasKey ? words.settings.calendarAnother : words.settings.calendarMake}
            </Button>
            {data.HasKey === 1 && (
              <Button kind="danger" busy={isBusy} onClick={() => void remove()}>
                {words.settings.calendarRemove}
              </Button>
            )}
          </div>
        </>
      )}
    </Group>
  )
}
