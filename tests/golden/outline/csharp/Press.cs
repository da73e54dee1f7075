using System;
using Text = System.Text;

namespace Mill.Machines
{
    /// <summary>
    /// Presses oil; see <see cref="Load"/>.
    /// </summary>
    [Serializable]
    public partial class Press : IMachine
    {
        public int Load { get; set; } = 3;

        public Press(int load) => Load = load;

        [Obsolete]
        internal async Task<int> RunAsync(CancellationToken ct = default)
        {
            int Local(int x) { return x + Load; }
            await Task.Delay(1, ct);
            return Local(new Random().Next());
        }

        private void Hidden() { }
    }

    public interface IMachine { void Start(string name, params int[] rest); }
    public record Point(int X, int Y);
    enum Mode { Slow, Fast }
    public delegate void Done(int code);
    struct Pair { public int A; }
}
