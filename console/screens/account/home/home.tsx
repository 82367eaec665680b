import { Bar } from '../../../ui/layout/bar.tsx'
import { Scroll } from '../../../ui/layout/scroll.tsx'
import { Problem, Waiting } from '../../../ui/layout/states.tsx'
import { told, useCall } from '../../../wire/queries.ts'
import { readersZone } from '../../../words/format.ts'
import { words } from '../../../words/words.ts'
import { CameIn } from './came-in.tsx'
import { FirstSteps } from './first-steps.tsx'
import { GoesOutNext } from './goes-out-next.tsx'
import { WaitsForMe } from './waits-for-me.tsx'
import { WentWrong } from './went-wrong.tsx'

/** What needs whoever looks: four lists, each with what to do about it. */
export function Home() {
  const { data, error, refetch } = useCall('GET /overview', {})
  return (
    <>
      <Bar title={words.home.title} about={words.home.zone(readersZone())} />
      <Scroll className="home">
        {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
        {data ? (
          <>
            <FirstSteps steps={data.FirstSteps} />
            <div className="home-lists">
              <WaitsForMe waits={data.WaitsForMe} />
              <WentWrong wrong={data.WentWrong} />
              <GoesOutNext posts={data.GoesOutNext} total={data.GoesOutTotal} />
              <CameIn came={data.CameIn} />
            </div>
          </>
        ) : (
          !error && <Waiting />
        )}
      </Scroll>
    </>
  )
}
