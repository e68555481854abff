import { assertEquals } from "@std/assert";
import { monotonicNow } from "../../../ffi/file/file_descriptor.ts";
import type { FrameConsumer } from "../../../wsi/contract/frame_consumer.ts";
import { callbackConsumer } from "../../../wsi/consumer/frames.ts";
import { needs } from "../../support/require.ts";
import { resultOf } from "../../support/result_of.ts";
import { DRIVERS } from "../adaptor/drawing.ts";
import { FOREVER, MODES, Presenter, Stage } from "./presenter.ts";

const RED = [1, 0, 0, 1] as const, SUCCESS = 0, TIMEOUT = 2, OUT_OF_DATE = -1000001004;
const PRESENT_ID = 1000294000, PRESENT_ID_2 = 1000479001;

for (const [name, driver] of DRIVERS) {
  const test = (title: string, body: () => void | Promise<void>) =>
    Deno.test(`${title} (${name})`, needs(name, driver), body);
  const open = (consumer?: FrameConsumer) =>
    new Stage({
      driver: driver!,
      deviceExtensions: ["VK_KHR_present_id", "VK_KHR_present_id2", "VK_KHR_present_wait2"],
      deviceNext: [
        { sType: 1000479002, presentId2: true } as never,
        { sType: 1000480001, presentWait2: true } as never,
      ],
      window: { width: 32, height: 16, consumer },
    });
  const frame = (presenter: Presenter, id: bigint, sType: number = PRESENT_ID_2) =>
    presenter.frame(RED, [{ sType, pPresentIds: [id] } as never]).presented;
  const wait = ({ stage: { device }, swapchain }: Presenter, presentId: bigint, timeout = FOREVER) =>
    resultOf(() => device.vkWaitForPresent2KHR(swapchain, { presentId, timeout })) as number;
  const show = ({ stage: { window } }: Presenter) => {
    const shown = window.frames.acquire()!;
    shown.release();
    window.frames.presented(shown.number, monotonicNow());
  };

  for (const [title, sType] of [["VK_KHR_present_id", PRESENT_ID], ["VK_KHR_present_id2", PRESENT_ID_2]] as const) {
    test(`vkWaitForPresent2KHR waits for a frame with an id by ${title}`, () => {
      using stage = open();
      using presenter = new Presenter(stage);
      assertEquals(frame(presenter, 5n, sType), SUCCESS);
      assertEquals([wait(presenter, 5n), wait(presenter, 5n, 0n)], [TIMEOUT, TIMEOUT]);
      show(presenter);
      assertEquals([wait(presenter, 5n), wait(presenter, 5n, 0n)], [SUCCESS, SUCCESS]);
    });
  }

  test("vkWaitForPresent2KHR does not wait for an id that was never queued", () => {
    using stage = open();
    using presenter = new Presenter(stage);
    frame(presenter, 1n);
    assertEquals([wait(presenter, 99n), wait(presenter, 1n)], [SUCCESS, TIMEOUT]);
  });

  test("vkWaitForPresent2KHR counts a frame that made way in a mailbox as presented", () => {
    using stage = open();
    using presenter = new Presenter(stage, { presentMode: MODES.MAILBOX as never });
    frame(presenter, 1n);
    frame(presenter, 2n);
    assertEquals([wait(presenter, 1n), wait(presenter, 2n)], [SUCCESS, TIMEOUT]);
    show(presenter);
    assertEquals(wait(presenter, 2n), SUCCESS);
  });

  test("vkWaitForPresent2KHR says that a retired swapchain is out of date", () => {
    using stage = open();
    using old = new Presenter(stage);
    frame(old, 1n);
    using _made = new Presenter(stage, { oldSwapchain: old.swapchain });
    assertEquals(wait(old, 1n), OUT_OF_DATE);
  });

  test("vkWaitForPresent2KHR has a consumer show what is queued", () => {
    let pumped = 0;
    const consumer: FrameConsumer = {
      attach() {},
      onFrame() {}, // only when it is asked to
      pump(source) {
        pumped++;
        const shown = source.acquire();
        shown?.release();
        if (shown) source.presented(shown.number, monotonicNow());
      },
    };
    using stage = open(consumer);
    using presenter = new Presenter(stage);
    frame(presenter, 1n);
    assertEquals([wait(presenter, 1n), pumped], [SUCCESS, 1]);
  });

  test("vkWaitForPresent2KHR times out while a consumer's Promise holds the frame", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    using stage = open(callbackConsumer(() => promise));
    using presenter = new Presenter(stage);
    frame(presenter, 1n);
    assertEquals(wait(presenter, 1n, 1000n), TIMEOUT);
    resolve();
    await new Promise((resolve) => setTimeout(resolve));
    assertEquals(wait(presenter, 1n), SUCCESS);
  });

  test("vkWaitForPresent2KHR finds a frame presented after its window was closed", () => {
    using stage = open();
    using presenter = new Presenter(stage);
    frame(presenter, 1n);
    stage.window.close();
    assertEquals(wait(presenter, 1n), SUCCESS);
  });
}
